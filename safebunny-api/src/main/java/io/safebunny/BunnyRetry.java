// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** In-memory retries of a {@link BunnyHandler}. Empty attributes default to {@code safebunny.retry.*}. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({})
public @interface BunnyRetry {

    /** How often to retry after the first failure; {@code "0"} turns in-memory retries off. */
    String maxRetries() default "";

    /** Wait before the first retry, for example {@code "100ms"}. */
    String initialInterval() default "";

    /** Factor from one wait to the next. */
    String multiplier() default "";

    /** Longest wait. */
    String maxInterval() default "";

    /** Fraction of each wait, 0 to 1, by which it is randomly shortened or lengthened. */
    String jitter() default "";
}
