// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The method of a {@link BunnySaga} that runs when a message of the saga was set aside by the node that had to handle it, after
 * all retries. It may take a {@link BlockedOn}, the state and a {@link SagaContext}. Without such a method the saga waits for a
 * person: nothing is undone without being asked.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface OnPoisoned {}
