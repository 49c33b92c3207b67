// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.safebunny.samples.orders.notifications;

import org.jspecify.annotations.NullMarked;
