// SPDX-License-Identifier: Apache-2.0
/** Declares exchanges, queues and bindings as far as the broker user may, and explains clashes and missing permissions. */
@NullMarked
package io.safebunny.rabbit.declare;

import org.jspecify.annotations.NullMarked;
