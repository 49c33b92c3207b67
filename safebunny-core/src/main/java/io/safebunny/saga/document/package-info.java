// SPDX-License-Identifier: Apache-2.0
/**
 * What is stored of one saga: a tree with its state, steps and timeouts; and the messages that sagas send. Changes the tree only;
 * others write it.
 */
@NullMarked
package io.safebunny.saga.document;

import org.jspecify.annotations.NullMarked;
