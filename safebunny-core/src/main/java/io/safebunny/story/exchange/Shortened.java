// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.exchange;

import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Looked;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Publication;
import io.safebunny.story.NodeStory.Saga;
import io.safebunny.story.NodeStory.State;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A part that fits into a reply. What matters least goes first, half of it at a time: messages that were handled, the earliest ones; names
 * of publications; events of sagas, the earliest ones; what waits to be sent; scheduled messages; pauses; steps of sagas; at last messages
 * that are not handled, and sagas but one.
 * The part says how much of what was left out. Confined to one thread.
 */
final class Shortened {

    /** A reply has 256 KiB, and says more than the part. */
    static final int ROOM = 240 * 1024;

    /** Of what there is too much of. */
    private static final int FEW = 20;

    private static final String WHERE = "its reply to another node";

    private static final Comparator<Message> LATEST_FIRST = Comparator.comparing(
                    (Message message) -> message.changedAt() == null ? Instant.EPOCH : message.changedAt())
            .reversed()
            .thenComparing(Message::id);

    private final String id;
    private final Map<String, Integer> left = new LinkedHashMap<>();
    private NodeStory part;

    private Shortened(String id, NodeStory part) {
        this.id = id;
        this.part = part;
    }

    static NodeStory of(String id, NodeStory part) {
        return size(part) <= ROOM ? part : new Shortened(id, part).shorten();
    }

    private static int size(NodeStory part) {
        return PartWriter.json(new SharedPart(part, true)).toString().getBytes(StandardCharsets.UTF_8).length;
    }

    private NodeStory shorten() {
        NodeStory noted = part;
        while (size(noted) > ROOM && halve()) {
            noted = noted();
        }
        return noted;
    }

    private NodeStory noted() {
        List<Looked> looked = new ArrayList<>(part.looked());
        looked.add(new Looked(
                WHERE,
                0,
                "it has room for 256 KiB. Left out are: "
                        + left.entrySet().stream()
                                .map(entry -> entry.getValue() + " " + entry.getKey())
                                .collect(Collectors.joining(", "))));
        return part.withLooked(looked);
    }

    /** Whether there was something to leave out. */
    private boolean halve() {
        return halveMessages(true, "messages that were handled, the earliest")
                || halvePublications()
                || halveHistories()
                || halveWaiting()
                || halvePauses()
                || thinSagas()
                || halveMessages(false, "messages that are not handled")
                || halveSagas();
    }

    private void note(String what, int count) {
        left.merge(what, count, Integer::sum);
    }

    private boolean isDone(Message message) {
        return !message.id().equals(id)
                && (message.state() == State.HANDLED
                        || message.state() == State.UNDONE
                        || message.state() == State.EXPIRED
                        || message.state() == State.SHREDDED);
    }

    private boolean halveMessages(boolean done, String what) {
        List<Message> some = part.messages().stream()
                .filter(message -> isDone(message) == done)
                .sorted(Comparator.comparing((Message message) -> !message.id().equals(id))
                        .thenComparing(LATEST_FIRST))
                .toList();
        if (some.size() < (done ? 1 : 2)) {
            return false;
        }
        List<Message> dropped = some.subList(some.size() / 2, some.size());
        note(what, dropped.size());
        List<Message> kept = new ArrayList<>(part.messages());
        kept.removeAll(dropped);
        part = part.withMessages(kept);
        return true;
    }

    private boolean halvePublications() {
        int before = part.messages().stream()
                .mapToInt(message -> message.published().size())
                .sum();
        if (before == 0) {
            return false;
        }
        List<Message> messages =
                part.messages().stream().map(Shortened::withFewerPublications).toList();
        part = part.withMessages(messages);
        note(
                "names of what messages have published",
                before
                        - messages.stream()
                                .mapToInt(message -> message.published().size())
                                .sum());
        return true;
    }

    private static Message withFewerPublications(Message message) {
        List<Publication> published = message.published();
        List<Publication> kept = published.subList(0, published.size() / 2);
        return new Message(
                message.id(),
                message.correlationId(),
                message.type(),
                message.state(),
                message.retries(),
                message.claimedUntil(),
                message.changedAt(),
                message.failures(),
                kept,
                message.omitted() + published.size() - kept.size(),
                message.line());
    }

    private boolean halveHistories() {
        int before =
                part.sagas().stream().mapToInt(saga -> saga.history().size()).sum();
        if (before == 0) {
            return false;
        }
        List<Saga> sagas =
                part.sagas().stream().map(Shortened::withShorterHistory).toList();
        part = part.withSagas(sagas);
        note(
                "events of sagas, the earliest",
                before - sagas.stream().mapToInt(saga -> saga.history().size()).sum());
        return true;
    }

    private static Saga withShorterHistory(Saga saga) {
        int size = saga.history().size();
        return new Saga(
                saga.saga(),
                saga.id(),
                saga.status(),
                saga.startedAt(),
                saga.changedAt(),
                saga.reason(),
                saga.steps(),
                saga.timeouts(),
                saga.blockedOn(),
                saga.stuckOn(),
                saga.awaited(),
                saga.history().subList(size - size / 2, size));
    }

    /** What waits longest stays. */
    private boolean halveWaiting() {
        int rows = part.outbox().size();
        int scheduled = part.scheduled().size();
        if (rows == 0 && scheduled == 0) {
            return false;
        }
        note("messages that wait in the outbox or are scheduled", rows - rows / 2 + scheduled - scheduled / 2);
        part = part.withOutbox(part.outbox().stream()
                        .sorted(Comparator.comparing(NodeStory.Unsent::storedAt))
                        .limit(rows / 2)
                        .toList())
                .withScheduled(part.scheduled().subList(0, scheduled / 2));
        return true;
    }

    /** A node tells all of them, because it does not know which matter. */
    private boolean halvePauses() {
        int pauses = part.pauses().size();
        if (pauses <= FEW) {
            return false;
        }
        note("pauses", pauses - pauses / 2);
        part = part.withPauses(part.pauses().subList(0, pauses / 2));
        return true;
    }

    /** The latest steps stay. */
    private boolean thinSagas() {
        int before = part.sagas().stream().mapToInt(Shortened::size).sum();
        List<Saga> sagas = part.sagas().stream().map(Shortened::thin).toList();
        int after = sagas.stream().mapToInt(Shortened::size).sum();
        if (before == after) {
            return false;
        }
        note("steps and other parts of sagas, the earliest", before - after);
        part = part.withSagas(sagas);
        return true;
    }

    private static int size(Saga saga) {
        return saga.steps().size()
                + saga.timeouts().size()
                + saga.blockedOn().size()
                + saga.awaited().size();
    }

    private static Saga thin(Saga saga) {
        return new Saga(
                saga.saga(),
                saga.id(),
                saga.status(),
                saga.startedAt(),
                saga.changedAt(),
                saga.reason(),
                latest(saga.steps()),
                saga.timeouts().entrySet().stream()
                        .sorted(Map.Entry.<String, Instant>comparingByValue().thenComparing(Map.Entry::getKey))
                        .limit(FEW)
                        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)),
                latest(saga.blockedOn()),
                saga.stuckOn(),
                latest(saga.awaited()),
                saga.history());
    }

    private static <T> List<T> latest(List<T> all) {
        return all.subList(Math.max(0, all.size() - FEW), all.size());
    }

    /** One stays. */
    private boolean halveSagas() {
        int sagas = part.sagas().size();
        if (sagas < 2) {
            return false;
        }
        note("sagas", sagas - sagas / 2);
        part = part.withSagas(part.sagas().subList(0, sagas / 2));
        return true;
    }
}
