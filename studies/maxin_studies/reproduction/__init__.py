"""The paper's figures and tables, run again and compared with the paper."""
