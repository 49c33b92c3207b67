// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * On a handler of a {@link BunnySaga}: reads the saga's id from a property of the payload, such as {@code "order.id"}, instead of
 * the message's correlation id. It must be a valid correlation id ({@code [A-Za-z0-9._:-]{1,64}}); a message without one is set
 * aside.
 *
 * <p>If the saga is itself a participant of another one, its handlers of a command and of that command's undo must use the same
 * property: otherwise they are in different partitions, and the undo can neither find the command nor prevent it from being
 * handled later.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface CorrelatedBy {

    /** Property path from the payload, evaluated read-only (Spring's expression language without methods and types). */
    String value();
}
