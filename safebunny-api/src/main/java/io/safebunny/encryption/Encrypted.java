// SPDX-License-Identifier: Apache-2.0
package io.safebunny.encryption;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The bodies of this message type, and of all classes that extend or implement it, are encrypted when they are published, and stay so in
 * queues, in the poison queue and in the store, with the results of their {@code once} steps. Where a handler takes this class, a message
 * that arrives in clear is refused before anything reads its body.
 *
 * <p>On the class of a saga, or of its state: the state is stored encrypted, and read by the saga's methods alone.
 *
 * <p>Needs {@code safebunny-crypto} and a {@link KeyProvider}; without them the application does not start if it handles the type or has the
 * saga, and does not publish the type.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Encrypted {

    /**
     * Name of the key: 1 to 64 characters of {@code [a-z0-9-]}. Its versions are the {@link KeyProvider}'s matter. Read by the node that
     * publishes; who receives goes by the id of the version that the message names.
     */
    String key();

    /**
     * Property of the class that says whom its content is about, such as {@code customer}: each of these persons then has a key of their own,
     * and a body can be read only with both keys, until {@link BunnySubjects#erase} destroys that person's. The property must be a text of 1 to
     * {@value #LONGEST_SUBJECT} characters, a {@code UUID}, or a whole number, and must have a value in each message that is published. Needs
     * {@link SubjectKeys}. On a saga, it is for the class of its state.
     *
     * <p>Two persons with the same value have the same key, and are erased together, whatever their properties are called: where customers and
     * employees may both be number 17, use {@code customer-17}.
     *
     * <p>Default: nobody's, and bodies are encrypted under the key alone.
     */
    String subject() default "";

    /** The greatest number of characters that a subject may have. */
    int LONGEST_SUBJECT = 256;
}
