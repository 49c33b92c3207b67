// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison;

import java.util.List;

/**
 * Inspects and replays the messages that this node has set aside in {@code {node}-poison}. Thread-safe.
 *
 * <p>While copies are being browsed nobody else can read them; afterwards they are back in the queue, perhaps in another order.
 * On one instance browsing and operations take turns. Needs permission to read the poison queue, which a node does not need
 * otherwise. Throws {@link io.safebunny.failure.BrowsingException} if the queue cannot be read, and {@link
 * io.safebunny.failure.MisuseException} SB-5014 if the node has no handlers or has not started.
 */
public interface PoisonMessages {

    /**
     * Lists matching copies, without headers, and what a replay would do with each; blocks. Reads at most ten times the filter's
     * limit, but at least 1,000 copies.
     */
    PoisonList list(PoisonFilter filter);

    /**
     * Like {@link #find(String, long)}, with bodies of up to 16 MiB in total.
     *
     * @return empty if there is none
     */
    default List<PoisonCopy> find(String messageId) {
        return find(messageId, 16L << 20);
    }

    /**
     * Finds the copies of one message, with its stored record; blocks. Returns at most 100, from the first 100,000 of the queue.
     *
     * @param bodyBytes maximum total size of the decoded bodies to return, in bytes; 0 for no bodies
     * @return empty if there is none
     */
    List<PoisonCopy> find(String messageId, long bodyBytes);

    /**
     * Sends all matching copies whose verdict allows it back to their queues: each is taken, checked again, sent, and removed
     * once the broker has confirmed it. A crash in between leaves a second copy, which with a store is not handled twice. Of
     * several copies of one message only one is moved. A copy that the broker refuses stays; the others are still moved. Returns
     * at once; each instance runs one operation at a time.
     *
     * @throws io.safebunny.failure.MisuseException SB-5016 when another operation runs on this instance
     */
    PoisonOperation replay(PoisonRequest request);

    /**
     * Moves all matching copies unchanged to {@code {node}-poison-archive}, where they are kept for {@code
     * safebunny.poison.archive-ttl} and can be restored. Each is removed once the broker has confirmed it; a crash in between
     * leaves a second copy. Skips copies with verdict {@link Verdict#BUSY} or {@link Verdict#UNKNOWN}. The stored records stay.
     * Returns at once, like {@link #replay}.
     *
     * @throws io.safebunny.failure.MisuseException SB-5016 when another operation runs on this instance
     */
    PoisonOperation discard(PoisonRequest request);

    /**
     * Reverses {@link #discard}: moves all matching copies from the archive to the poison queue, whatever their verdict. Needs
     * permission to read the archive. Returns at once, like {@link #replay}.
     *
     * @throws io.safebunny.failure.MisuseException SB-5016 when another operation runs on this instance
     */
    PoisonOperation restore(PoisonRequest request);

    /**
     * Like {@link #list}, but lists the archive; the verdicts tell what a replay would do after {@link #restore}. Needs permission to read
     * the archive.
     */
    PoisonList archived(PoisonFilter filter);

    /**
     * Replaces the body of one copy; blocks. The message keeps its id, correlation id, type, headers and completed {@code once}
     * steps; nothing is handled yet. Afterwards replay the edited copy, which has another digest; remaining copies of the
     * unedited message are never handled. If this fails or its process ends, the original copy is still there, perhaps with an
     * edited one beside it: with a store at most one of them is replayed, without a store both are.
     *
     * @return the operation, which has ended
     * @throws EditFailedException SB-5017 if there is no such copy; SB-5014 if a replay would not handle it, or its handler could not read
     *     the new body; nothing was moved then. SB-5016 if another delivery or edit of the message was faster, and the edit was not
     *     applied. Other failures keep their own code. The exception also has the operation
     * @throws io.safebunny.failure.MisuseException SB-5016 if another operation runs on this instance; no edit was started
     */
    PoisonOperation edit(PoisonEdit edit);

    /** Operations started on this instance, latest first, at most 100. Forgotten when the instance ends. */
    List<PoisonOperation> operations();

    /**
     * Asks the other instances of this node for their operations; blocks for up to two seconds. What they said within the last five seconds
     * is returned at once. Whether an instance answers is up to its {@code safebunny.operations.answers}, and to what the broker permits.
     */
    OtherInstances atOtherInstances();
}
