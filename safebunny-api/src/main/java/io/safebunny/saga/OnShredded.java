// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The method of a {@link BunnySaga} that runs instead of {@link OnPoisoned} when a command that the saga sent as a
 * {@linkplain SagaContext#step step} was shredded: its receiver could not read it, because the
 * {@linkplain io.safebunny.encryption.Encrypted#subject person} whom it is about was erased. Its parameters are those of an {@code @OnPoisoned} method. Where the
 * state of the saga is about the same person, no method runs, for nobody can read the state.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface OnShredded {}
