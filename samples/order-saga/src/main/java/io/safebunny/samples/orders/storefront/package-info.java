// SPDX-License-Identifier: Apache-2.0
/** The node {@code storefront}: places orders. It only publishes. */
@NullMarked
package io.safebunny.samples.orders.storefront;

import org.jspecify.annotations.NullMarked;
