// SPDX-License-Identifier: Apache-2.0
/**
 * Sagas in memory and virtual time, on one thread: whole nodes that end anywhere and come back, and a reference model that says what each
 * write must have made of a saga. Everything random comes from one seed.
 */
@NullMarked
package io.safebunny.proof.model;

import org.jspecify.annotations.NullMarked;
