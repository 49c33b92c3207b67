// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store;

import org.jspecify.annotations.Nullable;

/**
 * SPI of the durable records of one consuming node. Thread-safe, also across instances: both operations are atomic and
 * conditional on the one record they name, and nothing else is asked of a store.
 *
 * <p>A claim has no lease yet: a record that is CLAIMED when its process dies stays so, and the message circles until it is
 * too old. So a store must not outlive its process for now, which {@code MemoryMessageStore} does not.
 *
 * <p>A store that cannot answer throws; the message is then not handled and comes back.
 */
public interface MessageStore {

    /**
     * Creates the record unless there is one with its key. Of concurrent calls exactly one creates. A repeat with the same
     * record is harmless: it returns what is there.
     *
     * @return {@code null} when created, else the existing record
     */
    @Nullable
    MessageRecord create(MessageRecord record);

    /**
     * Replaces the record if the stored one has the version just before. A missing record is not created.
     *
     * @return whether it was replaced
     */
    boolean replace(MessageRecord record);
}
