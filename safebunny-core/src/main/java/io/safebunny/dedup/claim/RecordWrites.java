// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup.claim;

import io.safebunny.failure.policy.Ending.Failed;
import io.safebunny.failure.policy.Ending.Poisoned;
import io.safebunny.handling.Handling;
import io.safebunny.handling.JointRecords;
import io.safebunny.handling.Membership;
import io.safebunny.order.lane.LaneTurn;
import io.safebunny.store.JointWrite;
import io.safebunny.store.MessageStore;
import io.safebunny.store.StoreUnavailableException;
import io.safebunny.store.TransactionalMessageStore;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Writes of a message's record and of its companions. */
public final class RecordWrites {

    /** More than the writers of one companion that are active at once. */
    private static final int MOST_TRIES = 20;

    private RecordWrites() {}

    /** Writes the record and its companions, all or nothing; one without companions costs no joint write. */
    public static JointWrite write(MessageStore store, MessageRecord record, List<MessageRecord> companions) {
        if (companions.isEmpty()) {
            MessageRecord stored = JointWrite.isCreated(record) ? store.create(record) : store.replace(record);
            return stored == null || !stored.isSameWriteAs(record)
                    ? new JointWrite.Overtaken(record.key())
                    : new JointWrite.Written(List.of(stored));
        }
        List<MessageRecord> all = new ArrayList<>(companions.size() + 1);
        all.add(record); // first, as JointWrite.LOCK_ORDER has it
        all.addAll(companions);
        return store.writeTogether(all);
    }

    /** Whether nothing was written because of a companion; otherwise it is the record itself that others have changed. */
    public static boolean isCompanionOvertaken(JointWrite result, RecordKey record) {
        return result instanceof JointWrite.Overtaken overtaken
                && !overtaken.key().equals(record);
    }

    /** Whether something else is written with the record that says how the message ended. */
    public static boolean isJoint(Handling handling, Failed ending) {
        return ending instanceof Poisoned || handling.turn() != null;
    }

    /**
     * Records how a message ended that was not handled. Tries again as long as others keep changing what is written with it.
     *
     * @param owner of the writes
     * @param write of the record and these companions
     * @throws StoreUnavailableException they changed it each time
     */
    public static JointWrite ended(
            MessageStore store,
            Handling handling,
            Failed ending,
            String owner,
            Function<List<MessageRecord>, JointWrite> write) {
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            JointWrite result = tryEnded(store, handling, ending, owner, write);
            if (!isCompanionOvertaken(result, handling.key())) {
                return result;
            }
        }
        throw new StoreUnavailableException(
                "What is written with the record of message %s was changed by others %s times in a row"
                        .formatted(handling.message().id(), MOST_TRIES),
                null,
                null);
    }

    /** As {@link #ended}, once. */
    static JointWrite tryEnded(
            MessageStore store,
            Handling handling,
            Failed ending,
            String owner,
            Function<List<MessageRecord>, JointWrite> write) {
        Membership saga = handling.membership();
        LaneTurn turn = handling.turn();
        Stream<MessageRecord> together =
                turn == null ? Stream.empty() : turn.whenFailed(ending, store::find, owner).stream();
        JointRecords joined = JointRecords.NONE;
        if (ending instanceof Poisoned poisoned) {
            joined = saga == null ? JointRecords.NONE : saga.whenSetAside().records(poisoned.reason(), store::find);
            together = Stream.concat(
                    together, Stream.concat(joined.records().stream(), Stream.ofNullable(steps(store, handling))));
        }
        JointWrite result = write.apply(together.toList());
        if (result instanceof JointWrite.Written) {
            if (turn != null) {
                turn.isWritten();
            }
            joined.whenWritten().forEach(Runnable::run);
        }
        return result;
    }

    /** Those that are kept apart, to be kept as long as the record of the message that is set aside. */
    private static @Nullable MessageRecord steps(MessageStore store, Handling handling) {
        return store instanceof TransactionalMessageStore
                ? StoredSteps.poisoned(handling.message(), StoredSteps.find(store::find, handling.key()))
                : null;
    }
}
