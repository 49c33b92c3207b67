// SPDX-License-Identifier: Apache-2.0
/** The node {@code billing}: charges cards and gives money back. */
@NullMarked
package io.safebunny.samples.orders.billing;

import org.jspecify.annotations.NullMarked;
