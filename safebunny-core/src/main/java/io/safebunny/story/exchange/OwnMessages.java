// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.exchange;

import io.safebunny.saga.SagaView.Event;
import io.safebunny.saga.document.SagaHistory.Happening;
import io.safebunny.saga.document.SagaHistory.Refused;
import io.safebunny.saga.document.SagaHistory.Repaired;
import io.safebunny.saga.document.SagaHistory.TimedOut;
import io.safebunny.story.NodeStory;
import io.safebunny.story.NodeStory.Message;
import io.safebunny.story.NodeStory.Saga;
import io.safebunny.story.NodeStory.State;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What came of the alarms and repairs that a node has handled: their records do not say it, but the histories of its sagas do, of the same
 * moment. Immutable.
 */
public final class OwnMessages {

    /** Records have times of the store, histories those of the node. */
    private static final Duration SAME_MOMENT = Duration.ofSeconds(5);

    /** Of one of which is not known whether a timeout runs then. */
    public static final String ALARM = "the alarm of a timeout";

    private static final String NO_END = ALARM + " that did not run";
    private static final String REFUSED = " that was refused";

    /** By the time of each: if several were handled in one moment, of that many of them. */
    private final Map<String, String> names = new HashMap<>();
    /** Of those of which time does not tell which one it was. */
    private final Map<String, String> uncertain = new HashMap<>();

    public OwnMessages(NodeStory part) {
        for (Saga saga : part.sagas()) {
            addAlarms(part, saga);
            addRepairs(part, saga);
        }
    }

    private void addAlarms(NodeStory part, Saga saga) {
        List<Message> alarms = handled(part, saga, Awaiting.TIMEOUT);
        List<Message> left = new ArrayList<>(alarms);
        boolean isEachFound = true;
        for (Event end : events(saga, TimedOut.class::isInstance)) {
            isEachFound &= name(alarms, left, end, String.valueOf(Awaiting.one(Awaiting.TIMEOUT)), ALARM);
        }
        boolean isAllKnown = isEachFound
                && isHistoryWhole(saga)
                && !saga.history().isEmpty()
                && part.sagas().size() == 1;
        left.forEach(other -> names.putIfAbsent(other.id(), isAllKnown ? NO_END : ALARM));
    }

    private void addRepairs(NodeStory part, Saga saga) {
        String repair = String.valueOf(Awaiting.one(Awaiting.REPAIR));
        List<Message> repairs = handled(part, saga, Awaiting.REPAIR);
        List<Message> left = new ArrayList<>(repairs);
        for (Event event : events(saga, what -> what instanceof Repaired || what instanceof Refused)) {
            boolean isRefused = Happening.of(event) instanceof Refused;
            boolean unused = name(repairs, left, event, isRefused ? repair + REFUSED : repair, repair);
        }
    }

    /** It begins with what started the saga, unless the earliest events made room for later ones, or for a large state. */
    public static boolean isHistoryWhole(Saga saga) {
        return saga.history().isEmpty() || !saga.history().get(0).at().isAfter(saga.startedAt());
    }

    private static List<Message> handled(NodeStory part, Saga saga, String type) {
        return part.messages().stream()
                .filter(message -> message.correlationId().equals(saga.id()) && type.equals(message.type()))
                .filter(message -> message.state() == State.HANDLED || message.state() == State.UNSENT)
                .toList();
    }

    private static List<Event> events(Saga saga, Predicate<@Nullable Happening> which) {
        return saga.history().stream()
                .filter(event -> which.test(Happening.of(event)))
                .toList();
    }

    /**
     * @param left those that have no name yet: the one that was handled nearest to the event gets it
     * @return whether there is one
     */
    private boolean name(List<Message> all, List<Message> left, Event event, String name, String uncertainName) {
        List<Message> near = all.stream()
                .filter(message -> distance(message, event).compareTo(SAME_MOMENT) <= 0)
                .toList();
        if (near.size() > 1) {
            near.forEach(one -> uncertain.put(one.id(), uncertainName));
        }
        Message nearest = near.stream()
                .filter(left::contains)
                .min(Comparator.comparing(message -> distance(message, event)))
                .orElse(null);
        if (nearest != null) {
            left.remove(nearest);
            names.put(nearest.id(), name);
        }
        return nearest != null;
    }

    private static Duration distance(Message message, Event event) {
        Instant changed = message.changedAt();
        return changed == null
                ? SAME_MOMENT.plusMillis(1)
                : Duration.between(changed, event.at()).abs();
    }

    /** What a handled message is, if it is one of SafeBunny's own: {@code the end of a timeout}; {@code null} if it is one of the application. */
    public @Nullable String name(Message message) {
        String vague = uncertain.get(message.id());
        return vague == null ? named(message) : vague;
    }

    /**
     * The same of one among all others.
     *
     * @param asked id of the only message that is not among them
     */
    public @Nullable String nameAmongAll(Message message, String asked) {
        return uncertain.containsKey(asked) ? name(message) : named(message);
    }

    private @Nullable String named(Message message) {
        String own = Awaiting.isTimeout(message.type()) ? ALARM : Awaiting.one(message.type());
        return own == null ? null : names.getOrDefault(message.id(), own);
    }
}
