// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Name of a message type on the wire: {@code [A-Za-z][A-Za-z0-9_$]*}, at most 100 characters. Without this annotation it is the
 * simple class name.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface BunnyMessage {
    String value();
}
