// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * On a handler of a {@link BunnySaga}: its message starts the saga, and the handler returns the first state. If the saga already
 * exists, the message is ignored, unless the handler takes a {@code @Nullable} state: then it runs in both cases.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Starts {}
