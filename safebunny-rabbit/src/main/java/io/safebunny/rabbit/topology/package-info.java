// SPDX-License-Identifier: Apache-2.0
/** What a node needs on the broker: declared on every connect, compared with what is there, written down. */
@NullMarked
package io.safebunny.rabbit.topology;

import org.jspecify.annotations.NullMarked;
