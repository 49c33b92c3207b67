// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.SagaView.StepStatus;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Saga;
import io.safebunny.story.NodeStory.Scheduled;
import io.safebunny.story.NodeStory.State;
import io.safebunny.story.NodeStory.Unsent;
import io.safebunny.story.Story;
import io.safebunny.story.Story.Event;
import io.safebunny.story.exchange.Gathered;
import io.safebunny.story.exchange.OwnMessages;
import io.safebunny.story.search.OwnPart;
import io.safebunny.story.telling.Receivers.Untaken;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Joins what nodes know into one story: the most important first. Confined to one thread. */
final class Telling {

    /** Of messages that are not handled yet, and of what waits to be sent. The timeline has all of them. */
    private static final int MOST_TOLD = 20;

    private static final int MOST_NODES = 10;

    /** Each part has its own limits; this is one for many. */
    private static final int MOST_SENTENCES = 1_000;

    /** More would be slow to read and to draw. */
    private static final int MOST_EVENTS = 1_000;

    /** What waits for a person comes first. */
    private static final List<State> URGENT = List.of(
            State.SET_ASIDE,
            State.WAITING,
            State.HANDLING,
            State.UNSENT,
            State.EXPIRED,
            State.SHREDDED,
            State.HANDLED,
            State.UNDONE);

    private final String id;
    private final List<NodeStory> parts;
    private final Words words;
    private final Receivers receivers;
    private final Silent silent;
    private final Gathered gathered;
    /** Records of which is told already. */
    private final Set<Message> told = Collections.newSetFromMap(new IdentityHashMap<>());
    /** Messages of which is told that nobody knows them. */
    private final Set<String> unknown = new HashSet<>();

    private final List<String> sentences = new ArrayList<>();
    private final Advice advice = new Advice();
    private final CopySentences copies;

    private Telling(String id, Instant now, Gathered gathered) {
        this.id = id;
        this.parts = gathered.parts();
        this.gathered = gathered;
        this.words = new Words(now);
        this.receivers = new Receivers(gathered);
        this.silent = new Silent(words, gathered.problem(), gathered.asked());
        this.copies = new CopySentences(parts, new Replays(parts), words, receivers);
    }

    /** Of parts alone, whoever was asked for them. */
    static Story of(String id, Instant now, List<NodeStory> parts) {
        return of(id, now, Gathered.alone(parts));
    }

    static Story of(String id, Instant now, Gathered gathered) {
        Telling telling = new Telling(id, now, gathered);
        telling.tell();
        List<Event> events = telling.latest(Chronicle.of(now, gathered.parts()));
        return new Story(
                id,
                now,
                gathered.problem(),
                telling.sentences(),
                telling.advice.all(),
                events,
                gathered.parts(),
                gathered.asked());
    }

    private List<String> sentences() {
        if (sentences.size() <= MOST_SENTENCES) {
            return sentences;
        }
        List<String> first = new ArrayList<>(sentences.subList(0, MOST_SENTENCES));
        first.add("%s more sentences are left out.".formatted(sentences.size() - MOST_SENTENCES));
        return first;
    }

    private List<Event> latest(List<Event> events) {
        if (events.size() <= MOST_EVENTS) {
            return events;
        }
        List<Event> latest = events.subList(events.size() - MOST_EVENTS, events.size());
        sentences.add("%s more events are left out of the timeline, the earliest ones."
                .formatted(events.size() - MOST_EVENTS));
        return latest;
    }

    private void tell() {
        parts.stream()
                .flatMap(part -> part.troubles().stream()
                        .map(trouble ->
                                Words.sentence("At %s, %s".formatted(Words.text(part.node()), Words.text(trouble)))))
                .distinct() // instances of a node have some in common
                .forEach(sentences::add);
        sentences.addAll(silent.notAsked(parts.get(0).node()));
        if (parts.stream().allMatch(NodeStory::isEmpty)) {
            sentences.addAll(new Unknown(id, gathered).sentences());
            sentences.addAll(silent.sentences());
            parts.stream().limit(MOST_NODES).forEach(part -> advice.lookAtPoison(part.node(), id));
            advice.look(
                    "which nodes there are, and which are silent", parts.get(0).node(), "safebunny/nodes");
            return;
        }
        for (NodeStory part : parts) {
            part.sagas().stream().limit(MOST_TOLD).forEach(saga -> tell(part, saga));
            if (part.sagas().size() > MOST_TOLD) {
                sentences.add("%s has %s of it."
                        .formatted(
                                Words.text(part.node()),
                                Words.count(part.sagas().size() - MOST_TOLD, "more saga")));
            }
        }
        parts.forEach(this::tellOpen);
        tellUntaken();
        sentences.addAll(silent.sentences());
        tellCorrelation();
        parts.forEach(this::tellUnsent);
        parts.forEach(part -> part.scheduled().forEach(scheduled -> tell(part, scheduled)));
        parts.forEach(this::tellHandled);
        parts.forEach(part -> sentences.addAll(copies.left(part, advice)));
        parts.forEach(this::tellLimits);
    }

    private void tell(NodeStory part, Saga saga) {
        sentences.addAll(new SagaSentences(part, saga, words, receivers).sentences());
        new SagaAdvice(part, saga, advice, words, receivers, copies).add();
        if (receivers.wereAsked() && saga.status() == SagaStatus.ACTIVE) {
            tellCommands(saga);
        }
    }

    /** What became of the commands for whose answers a saga may wait: of the latest one also if it was handled. */
    private void tellCommands(Saga saga) {
        List<String> sent = saga.steps().stream()
                .filter(step -> step.status() == StepStatus.SENT)
                .map(SagaView.Step::messageId)
                .toList();
        for (String command : sent.subList(Math.max(0, sent.size() - MOST_TOLD), sent.size())) {
            boolean isLatest = command.equals(sent.get(sent.size() - 1));
            if (isLatest && receivers.isComplete() && !receivers.isKnown(command)) {
                unknown.add(command); // the saga's own sentence says so
            }
            receivers.of(command).stream()
                    .filter(known -> isLatest || isOpen(known.part(), known.message()))
                    .filter(known -> told.add(known.message()))
                    .forEach(known -> tell(known.part(), known.message(), isLatest));
        }
    }

    private void tell(NodeStory part, Message message, boolean isLatest) {
        MessageSentences about = of(part, message);
        sentences.addAll(about.sentences(message.id().equals(id), isLatest));
        about.advise(advice);
    }

    private MessageSentences of(NodeStory part, Message message) {
        return new MessageSentences(part, pausesAt(part), message, words, receivers, copies);
    }

    /** Those of all its instances that have told. */
    private List<NodeStory> pausesAt(NodeStory part) {
        return parts.stream().filter(other -> other.node().equals(part.node())).toList();
    }

    /** What was published, and nobody who has answered has a record of: only with all nodes asked does that mean something. */
    private void tellUntaken() {
        if (!receivers.isComplete()) {
            return;
        }
        List<Untaken> untaken = receivers.untaken(parts, words);
        sentences.addAll(Receivers.sentences(untaken.stream()
                .filter(one -> !unknown.contains(one.sent().id()))
                .toList()));
        Set<String> types =
                untaken.stream().map(one -> one.sent().type()).collect(Collectors.toCollection(TreeSet::new));
        parts.stream()
                .flatMap(part -> part.sagas().stream())
                .flatMap(saga -> saga.steps().stream())
                .filter(step -> unknown.contains(step.messageId()))
                .forEach(step -> types.add(step.type()));
        tellPauses(types);
    }

    /** Why it may not be delivered. */
    private void tellPauses(Set<String> types) {
        for (NodeStory part : parts) {
            for (NodeStory.Pause pause : part.pauses()) {
                String paused = "%s %s, %s."
                        .formatted(
                                Words.handling(pause.type()),
                                words.pause(pause, receivers.withheld(part)),
                                Words.at(part));
                if (types.contains(pause.type()) && !sentences.contains(paused)) {
                    sentences.add(paused);
                    advice.end(part.node(), pause);
                }
            }
        }
    }

    /** Others know a message that is not theirs only by its correlation id. */
    private void tellCorrelation() {
        String correlationId = gathered.isRelated() ? null : gathered.leadsTo(id);
        if (receivers.wereAsked() && correlationId != null) {
            sentences.add(Silent.notRelated(id, correlationId));
            advice.look(
                    "what all nodes know of its correlation id",
                    parts.get(0).node(),
                    "safebunnystory/" + Curl.encoded(correlationId));
        }
    }

    /** The message that was asked for comes first, then what was set aside, then those that failed last. */
    private void tellOpen(NodeStory part) {
        List<Message> open = part.messages().stream()
                .filter(message -> isOpen(part, message) || message.id().equals(id))
                .filter(message -> !told.contains(message))
                .sorted(Comparator.comparing((Message message) -> !message.id().equals(id))
                        .thenComparing(message -> URGENT.indexOf(message.state()))
                        .thenComparing(Telling::failedAt, Comparator.reverseOrder())
                        .thenComparing(Message::id))
                .toList();
        for (Message message : open.subList(0, Math.min(MOST_TOLD, open.size()))) {
            tell(part, message, false);
        }
        if (open.size() > MOST_TOLD) {
            List<Message> others = open.subList(MOST_TOLD, open.size());
            sentences.add("%s has %s: %s."
                    .formatted(
                            Words.text(part.node()),
                            Words.count(others.size(), "more message"),
                            Words.counted(others, message -> name(message) + ' ' + Words.of(message.state()))));
        }
    }

    private static Instant failedAt(Message message) {
        List<NodeStory.Failure> failures = message.failures();
        return failures.isEmpty()
                ? Instant.MIN
                : failures.get(failures.size() - 1).at();
    }

    private static String name(Message message) {
        return message.type().isEmpty() ? "of a type that the record does not tell" : Words.type(message.type());
    }

    private String handled(Message message, OwnMessages own) {
        String name = own.nameAmongAll(message, id);
        return name == null ? name(message) : name;
    }

    private boolean isOpen(NodeStory part, Message message) {
        return of(part, message).isOpen();
    }

    private void tellUnsent(NodeStory part) {
        List<Unsent> unsent = part.outbox();
        for (Unsent row : unsent.subList(0, Math.min(MOST_TOLD, unsent.size()))) {
            sentences.add(Words.capitalised(
                    "%s has been in the outbox of %s since %s, and the broker has not confirmed it%s. %s"
                            .formatted(
                                    Words.message(row.type(), row.messageId()),
                                    Words.text(part.node()),
                                    words.at(row.storedAt()),
                                    row.attempts() == 0 ? "" : ": the relay has failed " + Words.times(row.attempts()),
                                    words.isPast(row.dueAt())
                                            ? "It was to be sent at %s, if not before.".formatted(words.at(row.dueAt()))
                                            : "It is sent at %s, if not before.".formatted(words.at(row.dueAt())))));
        }
        if (unsent.size() > MOST_TOLD) {
            sentences.add("The outbox of %s has %s of it."
                    .formatted(Words.text(part.node()), Words.count(unsent.size() - MOST_TOLD, "more message")));
        }
        if (!unsent.isEmpty()) {
            advice.look("how much waits in the outbox", part.node(), "safebunny/outbox");
            advice.look("whether the broker takes messages", part.node(), "safebunny/publisher");
        }
    }

    private void tell(NodeStory part, Scheduled scheduled) {
        Instant at = scheduled.deliverAt();
        String when = at == null ? "" : " for " + words.at(at);
        sentences.add(
                switch (scheduled.status()) {
                    case WAITING ->
                        "%s has scheduled message %s%s%s."
                                .formatted(
                                        Words.text(part.node()),
                                        Words.text(scheduled.messageId()),
                                        when,
                                        at != null && words.isPast(at) ? ", and it has not been published yet" : "");
                    case PUBLISHED ->
                        "%s has published message %s, which was scheduled%s."
                                .formatted(Words.text(part.node()), Words.text(scheduled.messageId()), when);
                    case CANCELLED ->
                        "Message %s, which %s had scheduled, was cancelled."
                                .formatted(Words.text(scheduled.messageId()), Words.text(part.node()));
                });
    }

    private void tellHandled(NodeStory part) {
        List<Message> others = part.messages().stream()
                .filter(message -> !isOpen(part, message) && !message.id().equals(id) && !told.contains(message))
                .sorted(Comparator.comparing(Message::id))
                .toList();
        Predicate<Message> isUndone = message -> message.state() == State.UNDONE;
        tellSome(
                part,
                others,
                isUndone,
                "%s has %s that it does not handle any more: the undos of their steps have arrived.");
        tellSome(part, others, Words::hasExpired, "%s has %s of it whose deadline had passed.");
        tellSome(part, others, Words::isShredded, "%s has %s of it whose person was erased.");
        List<Message> handled = others.stream()
                .filter(isUndone.or(Words::hasExpired).or(Words::isShredded).negate())
                .toList();
        handled.stream()
                .flatMap(message -> copies.sentences(part, message).stream())
                .limit(MOST_TOLD)
                .forEach(sentences::add);
        OwnMessages own = new OwnMessages(part);
        if (!handled.isEmpty()) {
            boolean isOneTold = part.messages().stream()
                    .filter(message -> message.state() == State.HANDLED || message.state() == State.UNSENT)
                    .anyMatch(message -> message.id().equals(id) || told.contains(message));
            sentences.add("%s has handled %s of it: %s."
                    .formatted(
                            Words.text(part.node()),
                            Words.count(handled.size(), isOneTold ? "other message" : "message"),
                            Words.counted(handled, message -> handled(message, own))));
        }
    }

    /** @param rest says of a node how many more there are */
    private void tellSome(NodeStory part, List<Message> all, Predicate<Message> which, String rest) {
        List<Message> some = all.stream().filter(which).toList();
        some.subList(0, Math.min(MOST_TOLD, some.size())).forEach(message -> tell(part, message, false));
        if (some.size() > MOST_TOLD) {
            sentences.add(
                    rest.formatted(Words.text(part.node()), Words.count(some.size() - MOST_TOLD, "more message")));
        }
    }

    private void tellLimits(NodeStory part) {
        if (part.truncated()) {
            sentences.add(
                    "%s knows more of it than is told here: a story has room for %s records and outbox rows, and some megabytes. Which ones it has says nothing about when they were written."
                            .formatted(Words.text(part.node()), OwnPart.MOST));
        }
        Unknown.gaps(part).forEach(look -> sentences.add(Unknown.look(part, look)));
    }
}
