// SPDX-License-Identifier: Apache-2.0
/** What the nodes tell each other. Every message carries what the next node needs, so nobody has to ask back. */
@NullMarked
package io.safebunny.samples.orders.messages;

import org.jspecify.annotations.NullMarked;
