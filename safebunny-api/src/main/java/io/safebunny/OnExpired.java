// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method beside a {@link BunnyHandler}, in the same class and for the same payload type, that runs in the handler's place when the
 * deadline of a message has passed. It is declared like a handler, takes one message at a time even if the handler takes batches, and
 * has what the handler would have had: middlewares, the transaction, {@link MessageContext#once} steps with their results, publishing, and
 * the attempts that are left. When it returns, the message is done; when it fails for the last time, the message is set aside like any other.
 *
 * <p>In a {@link io.safebunny.saga.BunnySaga} it runs instead of {@link io.safebunny.saga.OnPoisoned} when a command that the saga sent as a
 * step has expired, and takes what such a method takes.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
public @interface OnExpired {}
