// SPDX-License-Identifier: Apache-2.0
/** Tests of the demo, and with it of the whole saga. */
@NullMarked
package io.safebunny.samples.orders.demo;

import org.jspecify.annotations.NullMarked;
