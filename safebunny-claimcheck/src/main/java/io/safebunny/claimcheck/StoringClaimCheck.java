// SPDX-License-Identifier: Apache-2.0
package io.safebunny.claimcheck;

import io.safebunny.bodies.BodyReference;
import io.safebunny.bodies.BodyStore;
import io.safebunny.bodies.BodyStoreUnavailableException;
import io.safebunny.bodies.ClaimCheck;
import io.safebunny.bodies.MissingBodyException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.Names;
import io.safebunny.message.PoisonReason;
import io.safebunny.time.Timeline;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Puts large bodies into one store, and fetches them from all that this node has. What is fetched is checked against the reference before
 * anybody sees it. Thread-safe.
 */
public final class StoringClaimCheck implements ClaimCheck {

    private final Map<String, BodyStore> byName = new HashMap<>();
    private final BodyStore store;
    private final long above;
    private final Duration longestWait;
    private final Timeline timeline;
    private final BodyMeters meters;

    /**
     * @param stores from which bodies are fetched
     * @param putInto name of the one into which they are put; {@code null} if there is only one
     * @param above size in bytes of the largest body that is sent with its message
     * @param longestWait how far in the future a message with a stored body may be due
     * @throws ConfigurationException SB-1316 if there is no such store, or two have the same name
     */
    public StoringClaimCheck(
            List<BodyStore> stores,
            @Nullable String putInto,
            long above,
            Duration longestWait,
            Timeline timeline,
            BodyMeters meters) {
        stores.forEach(this::add);
        BodyStore only = stores.size() == 1 ? stores.get(0) : null;
        BodyStore chosen = putInto == null ? only : byName.get(putInto);
        if (chosen == null) {
            throw new ConfigurationException(
                    "SB-1316",
                    "There is no body store to put large bodies into [safebunny.claim-check.store=%s, stores=%s]."
                            .formatted(Names.printable(String.valueOf(putInto)), new TreeSet<>(byName.keySet())),
                    "Set safebunny.claim-check.store to one of these.");
        }
        this.store = chosen;
        this.above = above;
        this.longestWait = longestWait;
        this.timeline = timeline;
        this.meters = meters;
    }

    private void add(BodyStore other) {
        if (!BodyReference.isStoreName(other.name()) || byName.putIfAbsent(other.name(), other) != null) {
            throw new ConfigurationException(
                    "SB-1316",
                    "Invalid name of a body store [name=%s, class=%s]: it must be unique."
                            .formatted(
                                    Names.printable(other.name()),
                                    other.getClass().getName()),
                    "Use a lower-case letter, then lower-case letters, digits and hyphens, at most 32 characters.");
        }
    }

    /** Into which bodies are put. */
    public BodyStore store() {
        return store;
    }

    @Override
    public Envelope put(Envelope message) {
        if (message.body().length <= above) {
            return message;
        }
        requireThereWhenDue(message);
        BodyReference reference = BodyReference.to(store.name(), message);
        try {
            store.put(reference, message.body());
        } catch (BodyStoreUnavailableException e) {
            meters.unavailable(store.name());
            throw e;
        } catch (IOException | RuntimeException e) {
            throw unavailable(store, "took no body", e);
        }
        meters.put(store.name(), reference.length());
        return reference.in(message);
    }

    private void requireThereWhenDue(Envelope message) {
        Instant due = Instant.ofEpochMilli(message.sentAt());
        if (due.isAfter(timeline.now().plus(longestWait))) {
            throw new InvalidPublicationException(
                    "The body of the message would be deleted before the message is due [type=%s, due=%s, bytes=%s]: bodies in a store may wait for %s at most. Publish it later, or raise safebunny.claim-check.retention on all nodes."
                            .formatted(message.type(), due, message.body().length, longestWait));
        }
    }

    @Override
    public Envelope fetch(Envelope message, long maxSize) {
        BodyReference reference = BodyReference.of(message);
        if (reference.length() > maxSize || reference.length() > Integer.MAX_VALUE - 8) {
            throw new InvalidMessageException(
                    PoisonReason.TOO_LARGE,
                    "Message too large [sb-claim-length=%s]: at most %s. Raise safebunny.max-message-size to take it."
                            .formatted(reference.length(), maxSize));
        }
        BodyStore from = byName.get(reference.store());
        if (from == null) {
            throw new MissingBodyException(
                    "Unknown body store [store=%s]: this node has %s. Nothing was read. Add the store here, under the same name as at node %s, then replay the message."
                            .formatted(
                                    reference.store(),
                                    new TreeSet<>(byName.keySet()),
                                    Names.printable(message.node())));
        }
        byte[] body = read(from, reference);
        if (body == null) {
            meters.missing(from.name());
            throw new MissingBodyException(
                    "The body of the message is not in its store [store=%s, key=%s]: it may be on its way, or was deleted because it was older than safebunny.claim-check.retention of a node that shares the store. Is it the same store as that of node %s?"
                            .formatted(from.name(), reference.key(), Names.printable(message.node())));
        }
        requireSame(reference, body);
        meters.fetched(from.name(), body.length);
        return message.withBody(body);
    }

    /** Reads no more than the reference says, and one byte, which is too many; {@code null} if there is no body. */
    private byte @Nullable [] read(BodyStore from, BodyReference reference) {
        try (InputStream stream = from.open(reference)) {
            if (stream == null) {
                return null;
            }
            byte[] body = new byte[(int) reference.length()];
            int read = stream.readNBytes(body, 0, body.length);
            return read < body.length || stream.read() >= 0 ? new byte[0] : body;
        } catch (BodyStoreUnavailableException e) {
            meters.unavailable(from.name());
            throw e;
        } catch (IOException | RuntimeException e) {
            throw unavailable(from, "did not give a body", e);
        }
    }

    private static void requireSame(BodyReference reference, byte[] body) {
        if (body.length != reference.length() || !BodyReference.sha256(body).equals(reference.sha256())) {
            throw new InvalidMessageException(
                    PoisonReason.INVALID_CLAIM,
                    "What is in the store is not the body of this message [store=%s, key=%s, sb-claim-length=%s]: its length or digest is another one. It was changed or damaged; nothing has read it."
                            .formatted(reference.store(), reference.key(), reference.length()));
        }
    }

    private BodyStoreUnavailableException unavailable(BodyStore which, String what, Exception why) {
        meters.unavailable(which.name());
        return new BodyStoreUnavailableException(
                "The body store %s %s (%s). Check that it is there and may be used"
                        .formatted(which.name(), what, why.getClass().getSimpleName()),
                why);
    }
}
