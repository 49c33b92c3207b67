// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds and repairs the sagas of this node. A repair is a message to the saga: the call returns when the broker has confirmed it,
 * and the saga's history shows its result, including a refusal, under the id that the call returns. Thread-safe; every method but {@link
 * #by} blocks.
 *
 * <p>Throws {@link io.safebunny.store.StoreUnavailableException} when the store does not answer, {@link
 * io.safebunny.failure.PublishException} when a repair is not confirmed, and {@link io.safebunny.failure.MisuseException} SB-5012
 * when the node has no saga of that name, or, for a repair, no instance of that id.
 */
public interface Sagas {

    /** All sagas of this node with this id. */
    List<SagaView> find(String sagaId);

    Optional<SagaView> find(String saga, String sagaId);

    /**
     * Sagas of this node, oldest first.
     *
     * @param saga only of this name; {@code null} for all
     * @param status only those with this status; {@code null} for all
     * @param olderThan only those that started at least this long ago; zero for all
     * @param limit maximum to return, 1 to 1000
     */
    List<SagaView> list(@Nullable String saga, @Nullable SagaStatus status, Duration olderThan, int limit);

    /**
     * All sagas of this node that match, oldest first, page by page. A saga that changes its status between two pages may be
     * missed or appear twice.
     *
     * @throws io.safebunny.failure.MisuseException SB-5001 if {@code after} is not the {@link SagaPage#next} of a page
     */
    SagaPage page(SagaQuery query);

    /**
     * The same, with repairs in the name of this user: each saga keeps it in its history, next to the reason. Without it, nobody is named.
     *
     * @param user made printable, at most 100 characters; blank for nobody
     */
    Sagas by(String user);

    /**
     * Sends the commands and undos that the saga is blocked on again, so that the nodes that set them aside handle them again.
     * Their age counts from the first time they were sent: a node whose store no longer remembers one sets it aside as {@code
     * too-old}.
     */
    String retry(String saga, String sagaId, String reason);

    /**
     * Treats a step as undone or, before the saga has failed, as not needing an undo. Refused if the step is already undone or
     * skipped.
     */
    String skip(String saga, String sagaId, String step, String reason);

    /** Fails an active or stuck saga, which undoes its steps. */
    String fail(String saga, String sagaId, String reason);

    /**
     * Lets a stuck saga take messages again and its timeouts continue; if it was stuck on a timeout, that one fires again under a
     * new id. A saga whose compensation failed or is waiting sends the last undo again, as {@link #retry} does.
     */
    String resume(String saga, String sagaId, String reason);

    /**
     * Replaces the state, unless the saga has changed since {@code expectedVersion}.
     *
     * @param expectedVersion {@link SagaView#version()} that the new state is based on
     * @param state JSON in the current version of the state
     */
    String patch(String saga, String sagaId, long expectedVersion, String state, String reason);
}
