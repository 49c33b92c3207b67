// SPDX-License-Identifier: Apache-2.0
package io.safebunny.encryption;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * SPI: the one place where the keys of persons are, shared by all nodes that publish or handle what is about them. Register it as a bean, or use
 * the application's database, with {@code safebunny-jdbc}. It gets keys encrypted and persons as keyed hashes, so nobody reads anything with
 * what is in it alone. Implementations must be thread-safe, and should pass {@code SubjectKeysContract} of {@code safebunny-test}. Calls may
 * block; answers are remembered for half a minute.
 *
 * <p>Every method sees what calls that have ended before it have written, at whatever instance, and takes no part in the application's
 * transactions. It throws {@link KeysUnavailableException} when the place does not answer; what it should have written may be written then, and
 * all of it may be repeated.
 */
public interface SubjectKeys {

    /** The key of the person that is in use; {@code null} if there is none, or it was destroyed. */
    @Nullable
    SubjectKey find(String subject);

    /** The key of this id, destroyed or not; {@code null} if there never was one. */
    @Nullable
    SubjectKey findById(String id);

    /**
     * Adds a key, unless its person has one in use. Of several callers at once, one adds its key, and all get that.
     *
     * @param fresh not destroyed, with an id that no other key has
     * @return the key of the person that is in use now
     */
    SubjectKey addIfAbsent(SubjectKey fresh);

    /**
     * Destroys the key of the person that is in use, if there is one: the bytes of it are gone when this returns, and what is left are id, person and
     * time. May be repeated.
     *
     * @param at the time to note
     * @return whether there was a key in use
     */
    boolean erase(String subject, Instant at);

    /**
     * How many keys are encrypted under each key of the {@link KeyProvider}, by its id; the secret of the place is one of them. May read all
     * keys: it is asked by people who want to remove one.
     *
     * @return {@code null}, the default, if this place cannot tell
     */
    default @Nullable Map<String, Long> countByWrappingKey() {
        return null;
    }

    /** The key of the person that was destroyed last; {@code null} if none was. */
    @Nullable
    SubjectKey findErased(String subject);
}
