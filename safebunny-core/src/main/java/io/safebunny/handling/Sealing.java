// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handling;

import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.encryption.SubjectErasedException;
import io.safebunny.encryption.UnknownKeyException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.policy.NotHandledException;
import io.safebunny.message.Envelope;
import io.safebunny.message.InvalidMessageException;
import io.safebunny.message.PoisonReason;
import io.safebunny.serialization.BodyCodec;
import io.safebunny.serialization.CodecException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts what is stored beside messages, results of steps and states of sagas, as the bodies of a class are encrypted. Each text is bound
 * to its place: an envelope that is never sent, and whose type no message can have. Thread-safe.
 */
public final class Sealing {

    /** What no JSON begins with. */
    private static final String MARK = "sealed:";

    private static final byte[] NO_BODY = {};

    private final BodyCodec codec;
    /** Of which all of it is; {@code null} if that is said each time. */
    private final @Nullable Supplier<?> payload;

    private Sealing(BodyCodec codec, @Nullable Supplier<?> payload) {
        this.codec = codec;
        this.payload = payload;
    }

    /**
     * @param needed what the bodies of the class need
     * @return {@code null} if they are not encrypted
     */
    public static @Nullable Sealing by(@Nullable BodyCodec needed) {
        return needed != null && needed.hidesContent() ? new Sealing(needed, null) : null;
    }

    /**
     * The same, for what is stored beside this one message or state: readable as long as that.
     *
     * @param of asked only if it matters, because it may have to be read for that
     */
    public Sealing ofPayload(Supplier<?> of) {
        return new Sealing(codec, of);
    }

    /** The same, which has looked whom it is about, and asks once for their key. */
    Sealing ofThis() {
        return payload == null ? this : new Sealing(codec.ofPayload(payload), null);
    }

    /** A place of its own for each combination of these. */
    public static Envelope place(String id, String correlationId, String type, String node, int marker) {
        return new Envelope(
                id,
                correlationId,
                type,
                node,
                marker,
                null,
                0,
                0,
                0,
                null,
                Map.of(),
                Map.of(),
                "application/json",
                NO_BODY);
    }

    /** Whether a stored text is not JSON, but sealed. */
    public static boolean isSealed(String stored) {
        return stored.startsWith(MARK);
    }

    /** What reads a sealed text where nothing says that there is one: its class is not marked, as in an older version of the application. */
    public static NotHandledException byAnotherVersion(String what) {
        return NotHandledException.byThisVersion(
                "%s is encrypted, and its class is not marked with @Encrypted here: the message waits for an instance where it is"
                        .formatted(what));
    }

    /** Whether texts of this place may be stored in clear, because their class has been marked only lately. */
    public boolean takesPlain(Envelope place) {
        return codec.takesPlain(place);
    }

    /**
     * @throws NotHandledException if keys cannot be had at the moment
     * @throws UnknownKeyException if there is no key of the class's name
     * @throws InvalidPublicationException if the payload does not say whom it is about, and must
     */
    public String seal(Envelope place, String text) {
        try {
            BodyCodec own = payload == null ? codec : codec.ofPayload(payload);
            byte[] sealed = own.encode(prepared(place).withBody(text.getBytes(StandardCharsets.UTF_8)));
            return MARK + Base64.getEncoder().encodeToString(sealed);
        } catch (KeysUnavailableException e) {
            throw NotHandledException.withoutKeys(e);
        }
    }

    /**
     * @param what names the text, for exceptions
     * @param sealed a {@linkplain #isSealed sealed} text
     * @throws NotHandledException if keys cannot be had at the moment
     * @throws UnknownKeyException if the key with which it was sealed is missing
     * @throws SubjectErasedException if nobody can read it any more
     * @throws InvalidMessageException {@code undecryptable}: it was changed, or sealed for another place
     */
    public String open(Envelope place, String what, String sealed) {
        try {
            byte[] bytes = Base64.getDecoder().decode(sealed.substring(MARK.length()));
            byte[] text = codec.decode(prepared(place).withBody(bytes), Integer.MAX_VALUE);
            return new String(text, StandardCharsets.UTF_8);
        } catch (KeysUnavailableException e) {
            throw NotHandledException.withoutKeys(e);
        } catch (IllegalArgumentException | CodecException e) { // no Base64, or not what was sealed here
            throw new InvalidMessageException(
                    PoisonReason.UNDECRYPTABLE,
                    "%s cannot be decrypted: it was changed in the store, or is another's. Restore it from a backup, or find out who has changed it."
                            .formatted(what),
                    e);
        }
    }

    private Envelope prepared(Envelope place) {
        return place.withEncodings(List.of(codec.encoding()));
    }
}
