// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// A token of the tests, which behaves as `mode` says; `token.ts` has its bytecode.
contract TestToken {
    event Transfer(address indexed from, address indexed to, uint256 value);

    enum Mode { Normal, ReturnsFalse, TakesFee, Paused }

    uint8 public immutable decimals;
    Mode public mode;
    mapping(address => uint256) public balanceOf;
    mapping(address => bool) public blocked;

    constructor(uint8 decimals_, address owner, uint256 supply) {
        decimals = decimals_;
        balanceOf[owner] = supply;
    }

    function setMode(Mode mode_) external {
        mode = mode_;
    }

    function blockAccount(address account) external {
        blocked[account] = true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        if (mode == Mode.ReturnsFalse) return false;
        require(mode != Mode.Paused, "paused");
        require(!blocked[to], "blocked");
        balanceOf[msg.sender] -= value;
        uint256 received = mode == Mode.TakesFee ? value - value / 100 : value;
        balanceOf[to] += received;
        emit Transfer(msg.sender, to, received);
        return true;
    }
}
