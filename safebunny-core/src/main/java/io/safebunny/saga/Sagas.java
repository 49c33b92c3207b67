// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the sagas of this node and repairs them. A repair is a message to the saga: the call returns when the broker has it,
 * and what became of it is in the saga's history, also if it was refused. Thread-safe; every method blocks.
 *
 * <p>Throws {@link io.safebunny.store.StoreUnavailableException} when the store does not answer, {@link
 * io.safebunny.failure.PublishException} when a repair is not confirmed, and {@link io.safebunny.failure.MisuseException} SB-5012
 * when the node has no saga of that name, or, for a repair, none of that id.
 */
public interface Sagas {

    /** All sagas of this node with the id, which is the correlation id of their messages. */
    List<SagaView> find(String sagaId);

    Optional<SagaView> find(String saga, String sagaId);

    /**
     * Sagas of this node, oldest first.
     *
     * @param saga only of this name; {@code null} for all
     * @param status only with this status; {@code null} for all
     * @param olderThan only those that started at least so long ago; zero for all
     * @param limit most to return, 1 to 1000
     */
    List<SagaView> list(@Nullable String saga, @Nullable SagaStatus status, Duration olderThan, int limit);

    /**
     * Sagas of this node, oldest first, as many as there are, page by page. One that changes its status meanwhile may be missed, or be there
     * twice.
     *
     * @throws io.safebunny.failure.MisuseException SB-5001 when {@code after} is not what a page has said
     */
    SagaPage page(SagaQuery query);

    /**
     * Sends the commands and undos on which the saga is blocked again, so that the nodes which set them aside handle them anew. They
     * stay as old as their first sending: a node with a store that has forgotten one sets it aside as {@code too-old}.
     */
    void retry(String saga, String sagaId, String reason);

    /** Takes a step as undone, or, before the saga has failed, as one that need not be undone. Refused when it is undone or skipped. */
    void skip(String saga, String sagaId, String step, String reason);

    /** Undoes the steps of a saga that is active or stuck. */
    void fail(String saga, String sagaId, String reason);

    /**
     * A stuck saga takes messages again, and its timeouts go on: also the one on which it was stuck, if it was one, runs under a new
     * id. A saga whose compensation failed, or waits, sends the last undo again, as {@link #retry} does.
     */
    void resume(String saga, String sagaId, String reason);

    /**
     * Replaces the state, unless the saga has changed since.
     *
     * @param expectedVersion {@link SagaView#version()} of what the new state is based on
     * @param state JSON of the present version of the state
     */
    void patch(String saga, String sagaId, long expectedVersion, String state, String reason);
}
