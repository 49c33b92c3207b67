// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import io.safebunny.failure.MessageExpiredException;
import io.safebunny.message.Headers;
import io.safebunny.message.WireMessage;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.store.record.RecordState;
import io.safebunny.store.record.Trail;
import io.safebunny.test.simulation.run.Violation;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Invariants that must hold at each moment of a run of any application. Confined to the run, except for {@link #isBroken}. */
final class Rules {

    static final String SAME_IN_EACH_RUN = "handlers take time and threads from the simulation";
    static final String OWN_THREADS = "handlers use no threads of their own";
    static final String NOT_EARLY = "no message comes before it is due";
    static final String ONLY_FAILURES = "only failures are counted as attempts";
    static final String LEASES = "no claim is taken over before its lease is over";
    static final String KEEPS_FAILURES = "a record tells of each failed attempt";
    static final String IN_ORDER = "of messages with one order key, each begins when those before it have ended";
    static final String NO_WAIT = "nothing waits for the end of a lease unless something goes wrong";

    private final Supplier<Duration> time;
    private final BooleanSupplier somethingWentWrong;
    private final Map<String, Duration> due = new HashMap<>();
    private final Map<OfNode<String>, Integer> failures = new HashMap<>();
    private final Map<OfNode<String>, RecordKey> keys = new HashMap<>();
    private final Map<OfNode<RecordKey>, Written> claims = new HashMap<>();
    private final Set<OfNode<String>> ended = new HashSet<>();
    /** Types of which all failures are known. */
    private final Set<OfNode<String>> watched = new HashSet<>();
    /** When handlers failed, by message. */
    private final Map<OfNode<String>, List<Instant>> thrown = new HashMap<>();
    /** Of records that were too large for their store, so that they may be written without a trail. */
    private final Set<OfNode<RecordKey>> withoutRoom = new HashSet<>();

    private volatile @Nullable Violation broken;

    /** @param somethingWentWrong whether a fault has occurred so far */
    Rules(Supplier<Duration> time, BooleanSupplier somethingWentWrong) {
        this.time = time;
        this.somethingWentWrong = somethingWentWrong;
    }

    private record Written(String owner, Duration until) {}

    /** A key within one node, because each node has a store of its own. */
    private record OfNode<T>(String node, T key) {}

    /** The first violation, if there is one. */
    @Nullable
    Violation broken() {
        return broken;
    }

    /** Records a violation. Also called by threads that do not belong to the run. */
    void isBroken(String rule, String details) {
        if (broken == null) {
            broken = new Violation(rule, details);
        }
    }

    Duration now() {
        return time.get();
    }

    /** @param begun when sending began; the confirm may have come much later */
    void sent(OutboundMessage message, Duration begun) {
        Duration comes = begun.plus(message.delay());
        due.merge(
                String.valueOf(message.message().messageId()),
                comes,
                (one, other) -> one.compareTo(other) < 0 ? one : other);
    }

    void delivered(Instance by, WireMessage message) {
        String id = String.valueOf(message.messageId());
        Duration early = due.getOrDefault(id, Duration.ZERO).minus(time.get());
        if (!early.isZero() && !early.isNegative()) {
            isBroken(NOT_EARLY, "%s gets %s %s ms early".formatted(by.name(), message.type(), early.toMillis()));
        }
        int known = failures.getOrDefault(new OfNode<>(by.node(), id), 0);
        if (message.headers().get(Headers.ATTEMPT) instanceof Number attempt && attempt.intValue() > known) {
            isBroken(
                    ONLY_FAILURES,
                    "%s gets %s as retry %s, and its handler has failed %s times"
                            .formatted(by.name(), message.type(), attempt.intValue(), known));
        }
    }

    /** Key of a message's record. If its saga has another id, the record is not in the partition of the correlation id. */
    RecordKey keyOf(String node, WireMessage message) {
        String id = String.valueOf(message.messageId());
        return keys.getOrDefault(new OfNode<>(node, id), new RecordKey(String.valueOf(message.correlationId()), id));
    }

    /** Whether a final record of the message was written, however long ago that was. */
    boolean hasEnded(String node, WireMessage message) {
        return ended.contains(new OfNode<>(node, String.valueOf(message.messageId())));
    }

    /** Call on every write, whether or not the store will answer. */
    void writes(Instance by, MessageRecord record) {
        keys.put(new OfNode<>(by.node(), record.key().messageId()), record.key());
        failures.merge(new OfNode<>(by.node(), record.key().messageId()), record.attempt(), Math::max);
    }

    /** Call when the record was marked as dispatched, together with others. */
    void marked(Instance by, MessageRecord record) {
        ended.add(new OfNode<>(by.node(), record.key().messageId()));
    }

    /** From now on, what records tell of messages of this type is compared with what {@link #failed} was told. */
    void watchesFailuresOf(String node, String type) {
        watched.add(new OfNode<>(node, type));
    }

    /** Call when a handler has failed, with the time of its process. */
    void failed(Instance by, String messageId, Instant at) {
        thrown.computeIfAbsent(new OfNode<>(by.node(), messageId), unknown -> new ArrayList<>())
                .add(at.truncatedTo(ChronoUnit.MILLIS));
    }

    /** Call when the store has refused the record as too large. */
    void refusedAsTooLarge(Instance by, MessageRecord record) {
        withoutRoom.add(new OfNode<>(by.node(), record.key()));
    }

    /** @param before what was stored */
    void replaced(Instance by, String name, MessageRecord before, MessageRecord record) {
        if (withoutRoom.contains(new OfNode<>(by.node(), record.key()))) {
            return;
        }
        List<Trail.Failure> failures = record.trail().failures();
        int added = added(before.trail(), failures);
        if (added < 0) {
            isBroken(
                    KEEPS_FAILURES,
                    "%s writes %s, which told of %s failures, and now of %s"
                            .formatted(
                                    by.name(), name, before.trail().failures().size(), failures.size()));
        } else if (added == 0
                && failures.size() < Trail.MOST_FAILURES
                && hasFailed(before, record)
                && !endsExpired(before.trail())) {
            isBroken(
                    KEEPS_FAILURES,
                    "%s writes %s after an attempt failed, and does not tell".formatted(by.name(), name));
        } else if (tellsTooMuch(by, record)) {
            isBroken(
                    KEEPS_FAILURES,
                    "%s writes %s, which tells of %s failures more often than they happened"
                            .formatted(by.name(), name, failures.size()));
        }
    }

    /** How many failures there are after those that were known, whose oldest may be missing if there is no room; -1 if others are. */
    private static int added(Trail known, List<Trail.Failure> failures) {
        for (int added = 0; added <= failures.size(); added++) {
            List<Trail.Failure> later = failures.subList(failures.size() - added, failures.size());
            if (failures.equals(known.with(later).failures())) {
                return added;
            }
        }
        return -1;
    }

    /** Whether a claim is given up by its owner because the handler failed. One that was taken over before may be set aside by others. */
    private static boolean hasFailed(MessageRecord before, MessageRecord record) {
        return before.state() == RecordState.CLAIMED
                && record.owner().equals(before.owner())
                && (record.attempt() > before.attempt()
                        || (record.state() == RecordState.POISONED && before.takeovers() == 0));
    }

    /** Whether its claim told already that its deadline had passed: no attempt follows. */
    private static boolean endsExpired(Trail trail) {
        List<Trail.Failure> failures = trail.failures();
        return !failures.isEmpty() && isExpiry(failures.get(failures.size() - 1));
    }

    /** Whether it tells of no attempt, but that the deadline of the message had passed. */
    private static boolean isExpiry(Trail.Failure failure) {
        return failure.exception().equals(MessageExpiredException.class.getName());
    }

    /** Of failures that are not the handler's, such as a completion that is refused, it is not known how many there were. */
    private boolean tellsTooMuch(Instance by, MessageRecord record) {
        if (!watched.contains(new OfNode<>(by.node(), record.trail().type()))) {
            return false;
        }
        List<Instant> known =
                thrown.getOrDefault(new OfNode<>(by.node(), record.key().messageId()), List.of());
        List<Instant> left = new ArrayList<>(known);
        return !record.trail().failures().stream()
                .filter(failure -> !isExpiry(failure))
                .allMatch(failure -> left.remove(failure.at()) || !known.contains(failure.at()));
    }

    /** @param begun when the write began; the response may have come much later */
    void written(Instance by, String name, MessageRecord record, Duration begun) {
        OfNode<RecordKey> key = new OfNode<>(by.node(), record.key());
        if (record.state().isFinal()) {
            ended.add(new OfNode<>(by.node(), record.key().messageId()));
        }
        if (record.state() != RecordState.CLAIMED) {
            claims.remove(key);
            return;
        }
        Duration now = time.get();
        Written before = claims.put(key, new Written(record.owner(), begun.plus(record.lease())));
        boolean isOthers = before != null && !before.owner().equals(record.owner());
        if (isOthers && now.compareTo(before.until()) < 0) {
            isBroken(
                    LEASES,
                    "%s claims %s, whose lease lasts another %s ms"
                            .formatted(
                                    by.name(), name, before.until().minus(now).toMillis()));
        } else if (record.takeovers() > 0 && !somethingWentWrong.getAsBoolean()) {
            isBroken(NO_WAIT, "%s claims %s after a lease".formatted(by.name(), name));
        }
    }
}
