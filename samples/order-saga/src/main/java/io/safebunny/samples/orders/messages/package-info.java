// SPDX-License-Identifier: Apache-2.0
/** The messages of the saga. Each carries everything the next node needs, so that no node has to ask another one. */
@NullMarked
package io.safebunny.samples.orders.messages;

import org.jspecify.annotations.NullMarked;
