// SPDX-License-Identifier: Apache-2.0
package io.safebunny.encryption;

/**
 * Erases persons: destroys the key with which everything is encrypted that is about one of them, as {@link Encrypted#subject} says. A bean of
 * this type is there if there are {@code safebunny-crypto}, keys, and {@link SubjectKeys}. Thread-safe.
 */
public interface BunnySubjects {

    /**
     * Tells what {@link #erase} would find, and changes nothing.
     *
     * @param subject the person, exactly as the property in the messages says it
     * @throws KeysUnavailableException the keys cannot be had at the moment
     */
    Erasure find(String subject);

    /**
     * Destroys the key of a person, if there is one. What is encrypted with it cannot be read by anybody from {@link Erasure#holdsFrom} on,
     * wherever it lies; its messages end as shredded. Logs that, with the hash of the person. May be repeated. Whoever publishes about the person
     * after that time gives them a new key; before it, that fails with {@link KeysUnavailableException}, or what is published ends as shredded.
     *
     * @param subject the person, exactly as the property in the messages says it
     * @throws KeysUnavailableException the keys cannot be had at the moment, and it is not known whether the key is destroyed: repeat it
     */
    Erasure erase(String subject);
}
