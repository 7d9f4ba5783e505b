//@ run: check
//@ revisions: syntax version language input print
//@[syntax] clang: -fsyntax-only
//@[version] clang: --version
//@[language] clang: -x c++
//@[input] clang: no_main.c
//@[print] clang: -print-resource-dir
// With these clang ends well and leaves nothing to check.
int main(void)
{
    return 0;
}
//~ EXIT 1
