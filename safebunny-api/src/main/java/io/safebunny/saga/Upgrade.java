// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A static method of a {@link BunnySaga} that converts the state's JSON from one version to the next: it takes and returns an
 * {@code ObjectNode} (tools.jackson). Runs when an older state is read.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Upgrade {

    /** The version it reads; it returns the next one. */
    int from();
}
