// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison;

import java.util.List;

/**
 * The messages that this node has set aside, in {@code {node}-poison}. Thread-safe.
 *
 * <p>Whatever is looked at is kept from everybody else for that long, and then back in the queue, perhaps in another order. On one instance a look and
 * an operation take turns. Needs the permission to read that queue, which a node does not need otherwise. Throws {@link io.safebunny.failure.BrowsingException} when the queue cannot be read, and {@link
 * io.safebunny.failure.MisuseException} SB-5014 when the node handles nothing, or is not started.
 */
public interface PoisonMessages {

    /**
     * What is there, without headers, and what a replay would do with each; blocks. At most ten times the filter's limit is looked at, but no less than
     * 1,000 copies.
     */
    PoisonList list(PoisonFilter filter);

    /**
     * The copies of one message, with bodies of 16 MiB in all, and what is stored of it; otherwise as {@link #find(String, long)}.
     *
     * @return empty when there is none
     */
    default List<PoisonCopy> find(String messageId) {
        return find(messageId, 16L << 20);
    }

    /**
     * The copies of one message, and what is stored of it; blocks. At most 100 of them, among the first 100,000 of the
     * queue.
     *
     * @param bodyBytes how many bytes the decoded bodies have that are returned, all together; 0 for no bodies
     * @return empty when there is none
     */
    List<PoisonCopy> find(String messageId, long bodyBytes);

    /**
     * Sends all copies that match, and that their verdict says can be handled, back to their queues: each is taken, judged anew, sent to its
     * queue, and removed once the broker has confirmed that. A crash in between leaves a copy, which with a store is not handled twice.
     * Of several copies of one message only one is moved. What the broker refuses stays, and the others are moved. Returns at once; one operation at a time runs on each instance.
     *
     * @throws io.safebunny.failure.MisuseException SB-5016 when another operation runs on this instance
     */
    PoisonOperation replay(PoisonRequest request);

    /**
     * Moves all copies that match to {@code {node}-poison-archive}, where they are kept for {@code safebunny.poison.archive-ttl}: as they are,
     * with whatever a replay needs. Each is removed once the broker has confirmed that; a crash in between leaves a second copy. Whatever
     * their verdict is, except {@link Verdict#BUSY} and {@link Verdict#UNKNOWN}. What is stored of the messages stays. Returns at once, as
     * {@link #replay}.
     *
     * @throws io.safebunny.failure.MisuseException SB-5016 when another operation runs on this instance
     */
    PoisonOperation discard(PoisonRequest request);

    /**
     * Reverses {@link #discard}: moves all copies that match, whatever their verdict is, from the archive to the poison queue. Needs the
     * permission to read the archive. Returns at once, as {@link #replay}.
     *
     * @throws io.safebunny.failure.MisuseException SB-5016 when another operation runs on this instance
     */
    PoisonOperation restore(PoisonRequest request);

    /**
     * What was discarded, as {@link #list} does it: the verdicts are those of a replay after {@link #restore}. Needs the permission to
     * read the archive.
     */
    PoisonList archived(PoisonFilter filter);

    /**
     * Replaces the body of one copy; blocks. The message keeps its id, its correlation id, its type, its headers, and the steps of {@code
     * once} that were completed; nothing is handled yet. Afterwards the edited copy, which has another digest, is the one to replay, and
     * what is left of the unedited message is not handled any more. If this fails, or its process ends, the copy as it was is still there,
     * perhaps with an edited one beside it: at most one of them is replayed, but without a store both are.
     *
     * @return what was done; it has ended
     * @throws EditFailedException SB-5017 when there is no such copy, SB-5014 when it is not one that a replay would handle, or its queue
     *     could not read the new body: nothing was moved; or when another delivery or edit of the message was faster, and this one is of no
     *     effect; or with the code of another failure. It has the operation
     * @throws io.safebunny.failure.MisuseException SB-5016 when another operation runs on this instance: none was begun
     */
    PoisonOperation edit(PoisonEdit edit);

    /** What was begun on this instance, the last first: at most the 100 last ones. Forgotten when the instance ends. */
    List<PoisonOperation> operations();
}
