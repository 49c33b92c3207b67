// SPDX-License-Identifier: Apache-2.0
package io.safebunny.bodies;

import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;

/**
 * What a node does with bodies that are kept elsewhere. {@code safebunny-claimcheck} has the one there is; without it no body is put
 * anywhere, and a message with a reference is set aside. Thread-safe.
 */
public interface ClaimCheck {

    /**
     * Puts the body into a store if it is large.
     *
     * @param message as it would be sent: serialized, compressed and encrypted
     * @return the same message with a reference instead of its body; or itself, if its body is small
     * @throws BodyStoreUnavailableException the store is away; the message is not published then
     * @throws InvalidPublicationException the body would be deleted before the message is due
     */
    Envelope put(Envelope message);

    /**
     * Fetches the body of a message.
     *
     * @param message as delivered, with a {@linkplain BodyReference#isIn reference}
     * @param maxSize limit of the body in bytes
     * @return the same message with its body, which is the one that was put; the reference stays
     * @throws InvalidMessageException the reference is invalid, the body is too long, or it is not the one that was put
     * @throws MissingBodyException it is not there
     * @throws BodyStoreUnavailableException the store is away
     */
    Envelope fetch(Envelope message, long maxSize);
}
