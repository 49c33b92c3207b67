// SPDX-License-Identifier: Apache-2.0
/** Declares exchanges, queues and bindings, as far as the user of the broker may, and says what is wrong: a clash, a missing permission. */
@NullMarked
package io.safebunny.rabbit.declare;

import org.jspecify.annotations.NullMarked;
