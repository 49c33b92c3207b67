// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.safebunny.samples.orders.aot;

import org.jspecify.annotations.NullMarked;
