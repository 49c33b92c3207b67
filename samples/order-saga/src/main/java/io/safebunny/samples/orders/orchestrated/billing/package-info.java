// SPDX-License-Identifier: Apache-2.0
/** The node {@code billing} as a participant: charges cards and gives money back when it is told to. */
@NullMarked
package io.safebunny.samples.orders.orchestrated.billing;

import org.jspecify.annotations.NullMarked;
