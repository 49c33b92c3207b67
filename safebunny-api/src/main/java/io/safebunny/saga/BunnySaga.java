// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.stereotype.Component;

/**
 * A saga with state: its {@link io.safebunny.BunnyHandler} methods receive the current state and return the next one. State,
 * commands, timeouts and undos are written together with the record of the message, or not at all.
 *
 * <p>An instance of the saga is identified by its id: the correlation id of its messages, unless {@link CorrelatedBy} names a
 * property. The class itself is an ordinary singleton bean, so it must not keep anything in fields. It needs a store ({@code
 * safebunny.store.type}).
 *
 * <p>A handler takes the payload, the state (except where the saga starts), a {@link SagaContext} and any other parameter that a handler
 * may have, in any order. It returns the new state, or {@code void} to leave the state unchanged. The state must be immutable, ideally a
 * record, and is stored as JSON of at most 256 KB.
 */
@Documented
@Component
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface BunnySaga {

    /** Name under which its instances are stored; must not change while instances exist. Default: the simple class name. */
    String name() default "";

    /** Version of the state. Raise it with every change that makes stored states unreadable, and add an {@link Upgrade}. */
    int version() default 1;

    /**
     * Nodes that receive this saga's commands, but send nothing that one of its handlers takes. List them so that their acknowledgements of
     * undos arrive.
     */
    String[] participants() default {};
}
