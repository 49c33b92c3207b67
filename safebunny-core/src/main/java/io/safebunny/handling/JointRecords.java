// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.failure.MisuseException;
import io.safebunny.message.Envelope;
import io.safebunny.store.MessageRecord;
import io.safebunny.store.RecordKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where a message's record is kept, and what is written together with it, all or nothing. Confined to one thread. */
public final class JointRecords {

    private final String messageId;
    private String partition;
    private @Nullable Companions companions;
    private List<MessageRecord> joined = List.of();
    private List<Runnable> whenWritten = List.of();
    private @Nullable SetAsideWrite setAsideWrite;

    JointRecords(Envelope message) {
        this.messageId = message.id();
        this.partition = message.correlationId();
    }

    /** The key of the message's record. Its partition is the correlation id unless {@link #keepIn} said otherwise. */
    public RecordKey key() {
        return new RecordKey(partition, messageId);
    }

    /** Keeps the message's record in another partition. To be called before the message is claimed. */
    public void keepIn(String otherPartition) {
        partition = otherPartition;
    }

    /** Where companions are read while the message is handled. */
    public void readFrom(Companions stored) {
        companions = stored;
    }

    /**
     * A stored companion, to be changed with {@link #join}; {@code null} if there is none.
     *
     * @throws io.safebunny.recovery.NotHandledException the store did not answer
     * @throws MisuseException SB-5005 when the message is not being handled, or handled messages are not remembered
     */
    public @Nullable MessageRecord companion(RecordKey key) {
        if (companions == null) {
            throw new MisuseException(
                    MisuseException.NOT_RUNNING,
                    "Message %s has no companions: they are read while it is handled, and need a store. Ask within its handler, and set up a store."
                            .formatted(messageId));
        }
        return companions.companion(key);
    }

    /**
     * Writes the record with the completion of the message. If another version was stored in the meantime, nothing is written and
     * the handler runs again. What a failed attempt joined is forgotten.
     *
     * @param record new, or derived from what {@link #companion} returned; takes the place of one with the same key
     */
    public void join(MessageRecord record) {
        List<MessageRecord> all = new ArrayList<>(joined);
        all.removeIf(other -> other.key().equals(record.key()));
        all.add(record);
        joined = List.copyOf(all);
    }

    /** What is to be written with the completion. */
    List<MessageRecord> joined() {
        return joined;
    }

    /** Runs the action, which must not throw, once what is joined has been written. What a failed attempt asked for is forgotten. */
    public void whenWritten(Runnable action) {
        List<Runnable> all = new ArrayList<>(whenWritten);
        all.add(action);
        whenWritten = List.copyOf(all);
    }

    List<Runnable> whenWritten() {
        return whenWritten;
    }

    void clear() {
        joined = List.of();
        whenWritten = List.of();
    }

    /** Makes the records that are written with the one that says the message is set aside. */
    @FunctionalInterface
    public interface SetAsideWrite {

        /**
         * Called again when what it had read was overtaken.
         *
         * @param stored reads outside the handler's transaction
         */
        List<MessageRecord> records(Companions stored);

        /** What {@link #records} returned last has been written. Must not throw. */
        default void written() {}
    }

    /** Holds for all attempts of this delivery. */
    public void whenSetAside(SetAsideWrite write) {
        setAsideWrite = write;
    }

    /** {@code null} when only the message's own record is written. */
    public @Nullable SetAsideWrite setAsideWrite() {
        return setAsideWrite;
    }
}
