// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The method of a {@link BunnySaga} that runs when a command that the saga sent as a {@linkplain SagaContext#step step} was set
 * aside by its receiver, after all retries. It may take a {@link BlockedOn}, the state and a {@link SagaContext}. If the saga is
 * {@link SagaStatus#STUCK} at that time, the method runs after the repair, provided the saga still waits for the command. Without
 * such a method the saga waits for an operator: nothing is undone automatically.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface OnPoisoned {}
