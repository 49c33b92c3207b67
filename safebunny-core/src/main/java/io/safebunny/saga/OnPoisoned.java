// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The method of a {@link BunnySaga} that runs when a command of the saga, one that it sent as a {@linkplain SagaContext#step step}, was set
 * aside by the node that had to handle it, after all retries. It may take a {@link BlockedOn}, the state and a {@link SagaContext}. For a
 * saga that is {@link SagaStatus#STUCK} then, it runs when the saga goes on, if that still waits for the command. Without such a method
 * the saga waits for a person: nothing is undone without being asked.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface OnPoisoned {}
