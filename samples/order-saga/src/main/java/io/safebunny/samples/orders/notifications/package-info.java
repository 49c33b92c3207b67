// SPDX-License-Identifier: Apache-2.0
/** The node {@code notifications}: mails the customer when an order is accepted and when it ended. */
@NullMarked
package io.safebunny.samples.orders.notifications;

import org.jspecify.annotations.NullMarked;
