// SPDX-License-Identifier: Apache-2.0
/**
 * The stored form of a saga (a JSON tree with its state, steps and timeouts) and the messages that sagas send. Changes the tree
 * only; {@code saga.running} writes it.
 */
@NullMarked
package io.safebunny.saga.document;

import org.jspecify.annotations.NullMarked;
