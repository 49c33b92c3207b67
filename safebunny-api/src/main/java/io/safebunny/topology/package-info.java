// SPDX-License-Identifier: Apache-2.0
/** What the broker must look like, as a value computed from the subscriptions. No I/O. */
@NullMarked
package io.safebunny.topology;

import org.jspecify.annotations.NullMarked;
