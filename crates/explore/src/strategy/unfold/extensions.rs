//! Extensions of a configuration: what a thread that asks for something would come to at an earlier moment (SPOE, 3.6).
//!
//! What a thread asks for depends on its own past only; what comes of it, on those events before it that it depends on. So the events
//! in which a request can end are found by asking at each moment: for each set of events that it depends on of which some have
//! happened and the others not. Algorithm 1 is the case of a lock, where those sets are the beginnings of a sequence.
//! Whether the request is granted there is not derived by rules: the machine is run to that moment and asked, once for each.

use super::Unfolding;
use super::configuration::{Member, ideals};
use super::event::{Cut, EventId, Extra, What};
use crate::run::follow::quietly;
use crate::run::next::runnable_of;
use crate::trace::canon::{Who, at_any_moment};
use concurrency::{Action, ThreadId};
use machine::{Choice, Engine, EngineError, LossKind, LossSite, Outcome, PathEnd, State, Status, Stop};

/// What a thread waits to be allowed to do.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub who: Who,
    /// What comes before it.
    pub base: Cut,
    /// As it stands for all moments.
    pub action: Action,
}

/// Threads that have to choose before they go on, and what.
pub(super) type Choices = Vec<(ThreadId, Choice)>;

impl Request {
    /// What it depends on at some moment.
    pub(super) fn widest(&self) -> What {
        What::Action { action: at_any_moment(self.action), outcome: Outcome::Plain }
    }
}

impl Unfolding {
    /// Extensions in which a new request is granted at an earlier moment than now.
    pub(super) fn ask_earlier(&mut self, engine: &mut Engine, request: &Request) {
        let concurrent = self.dependent_on(request, &request.base, None);
        for cut in ideals(&self.events, &request.base, &concurrent) {
            self.ask(engine, request, cut);
        }
    }

    /// Extensions in which a request is granted behind an event that has just happened, and not behind others.
    pub(super) fn ask_after(&mut self, engine: &mut Engine, event: EventId) {
        if matches!(self.events[event].what.action(), None | Some(Action::Exit)) {
            return;
        }
        let closed = self.events.closed(event);
        let granted = self.configuration.outside(&self.events, &closed).filter_map(|member: &Member| {
            let who = self.events[member.event].who;
            Some((Request { who, base: member.base.clone(), action: member.request? }, Some(member.event)))
        });
        let open = self.here.requests.iter().map(|request| (request.clone(), None));
        let requests: Vec<(Request, Option<EventId>)> = granted.chain(open).collect();
        for (request, granted) in requests {
            if !self.events[event].what.dependent(&request.widest()) {
                continue;
            }
            let mut behind = request.base.clone();
            self.events.join(&mut behind, &closed);
            let concurrent = self.dependent_on(&request, &behind, granted);
            let mut moments = ideals(&self.events, &behind, &concurrent);
            if granted.is_none() {
                // With all of them: that is now.
                let mut now = behind;
                concurrent.iter().for_each(|&other| self.events.join(&mut now, &self.events.closed(other)));
                moments.retain(|moment| *moment != now);
            }
            for moment in moments {
                self.ask(engine, &request, moment);
            }
        }
    }

    /// Events of other threads that are not in a part of the configuration, and on which a request may depend; not those behind the event
    /// as which it was granted. In an order in which they can happen.
    fn dependent_on(&self, request: &Request, behind: &Cut, granted: Option<EventId>) -> Vec<EventId> {
        let (events, widest) = (&self.events, request.widest());
        let is_free = |other: EventId| granted.is_none_or(|it| !events.holds(&events.closed(other), it));
        let members = self.configuration.outside(events, behind).map(|member| member.event);
        let others = members.filter(|&other| events[other].who != request.who && events[other].what.dependent(&widest));
        let mut all: Vec<EventId> = others.filter(|&other| is_free(other)).collect();
        all.sort_unstable();
        all
    }

    /// The extension in which a request is granted at a moment, if it is granted there.
    fn ask(&mut self, engine: &mut Engine, request: &Request, moment: Cut) {
        let key = (request.who, moment);
        let answer = match self.answers.get(&key) {
            Some(&answer) => answer,
            None => {
                let answer = match quietly(engine, |engine| self.granted(engine, request, &key.1)) {
                    Ok(answer) => answer,
                    Err(error) => {
                        note_lost(engine, &error);
                        None
                    }
                };
                self.answers.insert(key, answer);
                answer
            }
        };
        if let Some(extension) = answer {
            self.extend(extension);
        }
    }

    /// The event as which a request is granted at a moment.
    fn granted(
        &mut self,
        engine: &mut Engine,
        request: &Request,
        moment: &Cut,
    ) -> Result<Option<EventId>, EngineError> {
        let (state, choices) = self.state_at(engine, moment)?;
        // Where an action is half done, nobody else notices a moment.
        if choices.iter().any(|&(thread, _)| state.thread(thread).is_in_course()) {
            return Ok(None);
        }
        let Some(thread) = self.canon.thread(&state, request.who) else { return Ok(None) };
        let Status::At(action) = state.thread(thread).status else { return Ok(None) };
        let action = state.at_this_moment(thread, action);
        if !state.enabled(thread, &action) {
            return Ok(None);
        }
        Ok(Some(self.event_of(&state, thread, &action, &request.base, Some(moment))))
    }

    /// The event that an action of a thread is, which comes behind `base` and those of the configuration, or of a part of it, that it
    /// depends on.
    pub(super) fn event_of(
        &mut self,
        state: &State,
        thread: ThreadId,
        action: &Action,
        base: &Cut,
        within: Option<&Cut>,
    ) -> EventId {
        let who = self.canon.who(state, thread);
        let outcome = state.outcome(thread, action);
        let capacity = match action {
            Action::Arrive { barrier, .. } => state.sync.barrier_count(*barrier),
            _ => None,
        };
        let what = What::Action { action: self.canon.action(state, action), outcome };
        let past = self.configuration.past(&self.events, base, (who, &what), within);
        self.events.event(who, what, past, Extra { capacity, ..Extra::default() })
    }

    /// The state in which these events have happened, and all threads stand before actions or choices: those that are before choices.
    pub(super) fn state_at(&self, engine: &mut Engine, moment: &Cut) -> Result<(State, Choices), EngineError> {
        let first = self.configuration.first_within(&self.events, moment);
        let level = self.levels.partition_point(|level| level.at <= first);
        let level = self.levels.get(level.wrapping_sub(1)).ok_or(EngineError::Diverged)?;
        let (mut state, mut choices) = (level.state.clone(), Choices::new());
        settle(engine, &mut state, &mut choices)?;
        for id in self.events.chain(moment, &self.configuration.cut(&self.events, level.at)) {
            self.act(engine, &mut state, &mut choices, id)?;
            settle(engine, &mut state, &mut choices)?;
        }
        Ok((state, choices))
    }

    /// Begins an event in a state in which all threads stand before actions or choices.
    pub(super) fn act(
        &self,
        engine: &mut Engine,
        state: &mut State,
        choices: &mut Choices,
        event: EventId,
    ) -> Result<(), EngineError> {
        let event = &self.events[event];
        if let What::Choice { answer, .. } = event.what {
            let chooses = |thread: ThreadId| match event.serial {
                Some(round) => self.canon.round_completed(state, thread) == Some(round.at()),
                None => self.canon.thread(state, event.who) == Some(thread),
            };
            let at = choices.iter().position(|&(thread, _)| chooses(thread)).ok_or(EngineError::Diverged)?;
            let (thread, choice) = choices.swap_remove(at);
            engine.decide(state, thread, answer.to(&choice)?);
            return Ok(());
        }
        let thread = self.canon.thread(state, event.who).ok_or(EngineError::Diverged)?;
        let Status::At(action) = state.thread(thread).status else { return Err(EngineError::Diverged) };
        let action = state.at_this_moment(thread, action);
        if !state.enabled(thread, &action) {
            return Err(EngineError::Diverged);
        }
        engine.grant(state, thread);
        Ok(())
    }
}

/// Notes that an event could not be run: what follows from that is not known.
pub(super) fn note_lost(engine: &mut Engine, error: &EngineError) {
    let remedy = format!("what comes of an event is not known: {error}");
    engine.note(LossKind::Fault, LossSite::Search("the unfolding".to_owned()), remedy);
}

/// Runs all threads up to where each stands before an action or a choice.
fn settle(engine: &mut Engine, state: &mut State, choices: &mut Choices) -> Result<(), EngineError> {
    while let Some(thread) = runnable_of(engine, state, |thread| choices.iter().all(|choice| choice.0 != thread)) {
        match engine.run(state, thread) {
            Stop::Choice(choice) => choices.push((thread, choice)),
            Stop::Failed(error) => return Err(error),
            Stop::End(PathEnd::Exited { .. }) => return Ok(()),
            Stop::End(PathEnd::Infeasible) => state.give_up(thread),
            _ => {}
        }
    }
    Ok(())
}
