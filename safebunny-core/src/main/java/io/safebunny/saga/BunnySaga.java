// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.stereotype.Component;

/**
 * A saga that remembers: its {@link io.safebunny.BunnyHandler} methods are given the state that the messages before left, and
 * return the next one. State, commands, timeouts and undos are written together with the record of the message, or not at all.
 *
 * <p>An instance of the saga is known by its id: the correlation id of its messages, unless {@link CorrelatedBy} says otherwise.
 * The class itself is an ordinary singleton bean, so it keeps nothing in fields. It needs a store
 * ({@code safebunny.store.type}).
 *
 * <p>A handler takes the payload, the state (except where the saga starts), a {@link SagaContext} and what any handler may take,
 * in any order, and returns the new state, or {@code void} to leave the state as it is. The state is immutable, best a record,
 * and becomes JSON of at most 256 KB.
 */
@Documented
@Component
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface BunnySaga {

    /** Name under which its instances are stored; must not change while there are any. Default: the simple class name. */
    String name() default "";

    /** Version of the state; raise it with every change that old instances cannot read, and add an {@link Upgrade}. */
    int version() default 1;

    /** Nodes that take commands of this saga and from which no handler of it takes messages; their acknowledgements of undos are heard. */
    String[] participants() default {};
}
