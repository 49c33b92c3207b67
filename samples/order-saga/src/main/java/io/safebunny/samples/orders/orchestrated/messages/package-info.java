// SPDX-License-Identifier: Apache-2.0
/** The commands of the saga, their undos, and the answers. What is not here is as in the choreographed variant. */
@NullMarked
package io.safebunny.samples.orders.orchestrated.messages;

import org.jspecify.annotations.NullMarked;
