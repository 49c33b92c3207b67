// SPDX-License-Identifier: Apache-2.0
/** A body store for tests of large messages. */
@NullMarked
package io.safebunny.test.bodies;

import org.jspecify.annotations.NullMarked;
