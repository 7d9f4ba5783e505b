//@ run: check
//@ revisions: indeterminate set
// What main returns goes to the environment: an uninitialised value is used there.
int main(void)
{
    int status;
#ifdef set
    status = 0;
#endif
    return status; //~[indeterminate] UNINITIALIZED_READ
}
//~[set] SAFE
