// SPDX-License-Identifier: Apache-2.0
/** Declares what a node needs on the broker, including delays, on every connect and as far as the broker user is permitted. */
@NullMarked
package io.safebunny.rabbit.topology;

import org.jspecify.annotations.NullMarked;
