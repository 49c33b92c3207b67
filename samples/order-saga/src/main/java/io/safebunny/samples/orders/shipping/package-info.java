// SPDX-License-Identifier: Apache-2.0
/** The node {@code shipping}: sends goods, as long as there are any. */
@NullMarked
package io.safebunny.samples.orders.shipping;

import org.jspecify.annotations.NullMarked;
