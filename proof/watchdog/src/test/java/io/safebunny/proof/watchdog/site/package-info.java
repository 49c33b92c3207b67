// SPDX-License-Identifier: Apache-2.0
/** Applications whose page is opened: one node, on each kind of server that there may be. */
@NullMarked
package io.safebunny.proof.watchdog.site;

import org.jspecify.annotations.NullMarked;
