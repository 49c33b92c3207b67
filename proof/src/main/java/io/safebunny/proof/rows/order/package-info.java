// SPDX-License-Identifier: Apache-2.0
/** The rows of {@code bin/order-proof}: order and time. */
@NullMarked
package io.safebunny.proof.rows.order;

import org.jspecify.annotations.NullMarked;
